// The handlers of benches/pool.mjs.
export const Price = async ({ price, quantity }) => price * quantity;
