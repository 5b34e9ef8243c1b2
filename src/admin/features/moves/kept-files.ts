/** Files that were chosen on one page and are sent by the next; they last as long as the window. */
const files = new Map<string, File>()

export const keepFile = (move: string, file: File): void => void files.set(move, file)
export const keptFile = (move: string): File | undefined => files.get(move)
export const dropFile = (move: string): void => void files.delete(move)
