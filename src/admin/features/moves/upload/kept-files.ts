/** Files selected on one page and uploaded by the next one, by the `_id` of their migration. A reload loses them. */
const files = new Map<string, File>()

export const keepFile = (move: string, file: File): void => void files.set(move, file)
export const keptFile = (move: string): File | undefined => files.get(move)
export const dropFile = (move: string): void => void files.delete(move)
