// Components that are rendered again only when their props have changed. `preact/compat` has the same function and much that is
// not needed here.

import { Component, type FunctionComponent, h } from "preact";

export function memo<P extends object>(of: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const { props } = this;
      const keys = Object.keys(next) as (keyof P)[];
      return keys.length !== Object.keys(props).length || keys.some((key) => !Object.is(next[key], (props as P)[key]));
    }
    override render(props: P) {
      return h(of, props);
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
