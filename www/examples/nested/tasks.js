export default {
  Refill: async ({ shop, shelf }) => {
    console.log("refill shelf", shelf, "of", shop);
    return 12;
  },
};
