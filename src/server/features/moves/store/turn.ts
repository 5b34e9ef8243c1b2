/** The account that waits for a file, and the size of the file: these decide when it is read. */
export interface Turn {
  account: string
  bytes: number
}

/** Whether a file is read and imported before larger ones that have waited longer. 0: its size is unknown. */
export const isSmall = (bytes: number): boolean => bytes > 0 && bytes < 1_000_000
