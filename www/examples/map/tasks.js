export default {
  Shrink: async ({ picture }) => {
    if (picture.name === "fog") throw Object.assign(new Error("Nothing to be seen"), { name: "BrokenPicture" });
    return { name: picture.name, how: "shrunk", factor: Math.round(picture.pixels / 1000000) };
  },
};
