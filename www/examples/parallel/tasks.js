export default {
  BookFlight: async ({ to }) => ({ flight: "SG 204", to }),
  BookHotel: async ({ nights }) => ({ hotel: "Miradouro", nights }),
  RentCar: async ({ driverAge }) => {
    if (driverAge < 21) throw Object.assign(new Error("The driver is too young"), { name: "TooYoung" });
    return { car: "small" };
  },
  CancelBookings: async () => ({ cancelled: true }),
};
