export default {
  Check: async (page) => ({ ...page, checked: true }),
  Publish: async (page) => ({ ...page, published: true }),
};
