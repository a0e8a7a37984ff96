export default {
  // Sends the message. The payment comes later, by the token: from you, or never.
  AwaitPayment: async ({ MessageBody }) => {
    console.log("invoice", MessageBody.invoice, "sent");
    return { MessageId: "1" };
  },
};
