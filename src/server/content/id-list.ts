const idBytes = 12

/** Many `_id`s in little room. */
export class IdList {
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get length(): number {
    return this.bytes.length / idBytes
  }

  /** Those from one place up to but not including another. */
  slice(from: number, to: number): string[] {
    const part = this.bytes.subarray(from * idBytes, to * idBytes)
    return Array.from({ length: part.length / idBytes }, (_, at) =>
      part.toString('hex', at * idBytes, (at + 1) * idBytes),
    )
  }
}
