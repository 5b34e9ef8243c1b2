const idBytes = 12

/** A compact list of `_id`s, 12 bytes each. */
export class IdList {
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get length(): number {
    return this.bytes.length / idBytes
  }

  /** Returns the `_id`s from index `from` up to but not including `to`. */
  slice(from: number, to: number): string[] {
    const part = this.bytes.subarray(from * idBytes, to * idBytes)
    return Array.from({ length: part.length / idBytes }, (_, at) =>
      part.toString('hex', at * idBytes, (at + 1) * idBytes),
    )
  }
}
