export default {
  // Sends the question; the answer comes later, by the token.
  AskManager: async ({ MessageBody }) => {
    console.log(MessageBody.question);
    return { MessageId: "1" };
  },

  PayOut: async ({ who, amount }) => ({ paid: amount, to: who }),
};
