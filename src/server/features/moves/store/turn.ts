/** The account whose job waits for a file, and the size of the file in bytes. Both decide when the file is read. */
export interface Turn {
  account: string
  bytes: number
}

/**
 * Returns whether a file is small: it is read and imported before larger files that have waited longer. Returns false
 * for 0 (unknown size).
 */
export const isSmall = (bytes: number): boolean => bytes > 0 && bytes < 1_000_000
