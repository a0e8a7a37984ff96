export default {
  PriceOrder: async ({ skus, dear }) => ({
    sum: skus.length * 40 + dear.length * 60,
    rebates: dear.map((sku) => ({ sku, percent: 5 })),
    secret: "not selected, so nobody sees it",
  }),
};
