export default function Page() {
  return <p>stepglass</p>;
}
