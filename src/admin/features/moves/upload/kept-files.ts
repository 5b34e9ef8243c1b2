/** Files selected on one page and uploaded by the next; they are lost on reload. */
const files = new Map<string, File>()

export const keepFile = (move: string, file: File): void => void files.set(move, file)
export const keptFile = (move: string): File | undefined => files.get(move)
export const dropFile = (move: string): void => void files.delete(move)
