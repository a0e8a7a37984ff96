import { TaskError } from "stepglass";

let looked = 0;

export default {
  ValidateOrder: async ({ lines }) => (lines.length > 0 ? { ok: true } : { ok: false, reason: "The order has no lines" }),
  LoadCustomer: async ({ customerId }) => ({
    id: customerId,
    tier: customerId.startsWith("g") ? "gold" : customerId === "blocked" ? "blocked" : "usual",
  }),

  CheckStock: async ({ sku, quantity, price }) => ({
    available: sku !== "rare" && sku !== "gone",
    orderable: sku === "rare",
    amount: quantity * price,
  }),
  OrderFromSupplier: async () => ({ seconds: 5 * 86400 }),
  ReserveStock: async ({ sku }) => ({ reserved: sku }),
  PriceOrder: async ({ priced, terms }) => ({
    total: (priced.reduce((sum, { amount }) => sum + amount, 0) * (100 - terms.discount)) / 100,
  }),

  FraudCheck: async ({ price, customer }) => {
    if (customer.id === "odd") throw new TaskError("ModelDown", "The model is being trained");
    return { score: price.total > 5000 ? 90 : 10 };
  },
  AskReviewer: async ({ MessageBody }) => ({ MessageId: `review-${MessageBody.order}` }),

  ChargeCard: async ({ card }, task) => {
    if (card === "0000") throw new TaskError("CardRefused", "The bank says no");
    if (task.attempt < 1) throw new TaskError("Busy", "Try again");
    return { receipt: "R-2002" };
  },
  PickItems: async ({ lines }) => ({ items: lines.length }),
  PackParcels: async ({ lines }) => ({ kilograms: lines.reduce((sum, { quantity }) => sum + quantity * 4, 0) }),
  BookFreight: async () => ({ tracking: "FREIGHT-1" }),
  PrintLabel: async () => ({ tracking: "PKG-1" }),
  MakeInvoice: async ({ id, price }) => ({ number: `I-${id}`, total: price.total }),
  "aws-sdk:s3:putObject": async () => ({ ETag: "1" }),
  AddPoints: async ({ price }) => ({ points: Math.floor(price.total / 10) }),
  TrackParcel: async () => ({ status: ++looked < 3 ? "on its way" : "delivered" }),

  Refund: async () => ({ refunded: true }),
  ReleaseStock: async () => ({}),
  Notify: async ({ what, order }) => {
    console.log(what, order);
    return {};
  },
};
