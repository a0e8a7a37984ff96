/// The thread has a turn between what takes long.
export const turn = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve));
