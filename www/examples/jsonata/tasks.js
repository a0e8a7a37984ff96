export default {
  Charge: async ({ amount }) => ({ receipt: `R-${Math.round(amount * 100)}` }),
};
