interface Part {
  text: string
  /** Offset of the first character. */
  start: number
  /** Offset after the last character. */
  end: number
}

export function commentsOf(file: string, text: string): Part[]
export function testTitlesOf(file: string, text: string): Part[]
export function codeOf(file: string, text: string): string
