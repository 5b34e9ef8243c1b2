import { createHash } from 'node:crypto'
import { type Bytes, StorageMismatch, type WriteOptions } from './driver.ts'

/** The bytes as they come; throws StorageMismatch at the end, or as soon as there are too many, unless they are as said. */
export async function* checkedBytes(
  bytes: Bytes,
  { size, sha256 }: Pick<WriteOptions, 'size' | 'sha256'>,
): AsyncGenerator<Uint8Array> {
  const hash = sha256 === undefined ? null : createHash('sha256')
  let count = 0
  for await (const chunk of typeof bytes === 'function' ? bytes() : bytes) {
    count += chunk.length
    if (count > size) throw new StorageMismatch(`More than the ${size} bytes that were announced`)
    hash?.update(chunk)
    yield chunk
  }
  if (count !== size) throw new StorageMismatch(`${count} bytes instead of ${size}`)
  if (hash && hash.digest('hex') !== sha256) throw new StorageMismatch('Not the content that was announced')
}
