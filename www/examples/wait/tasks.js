export default {
  SendLetter: async ({ user }) => {
    console.log("Dear " + user + ", nine days are left.");
    return { daysLeftInSeconds: 9 * 24 * 60 * 60 };
  },
};
