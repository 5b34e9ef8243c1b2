import { createHash } from 'node:crypto'
import { type Bytes, StorageMismatch, type WriteOptions } from './driver.ts'

/**
 * Passes the bytes through and checks size and hash. Throws `StorageMismatch` as soon as there are more than `size`
 * bytes, or at the end. The last piece is passed on only after this check. Otherwise S3 could confirm the upload, or a
 * reader could get all bytes, before a mismatch is found.
 */
export async function* checkedBytes(
  bytes: Bytes,
  { size, sha256 }: Pick<WriteOptions, 'size' | 'sha256'>,
): AsyncGenerator<Uint8Array> {
  const hash = sha256 === undefined ? null : createHash('sha256')
  let count = 0
  let last: Uint8Array | undefined
  for await (const chunk of typeof bytes === 'function' ? bytes() : bytes) {
    count += chunk.length
    if (count > size) throw new StorageMismatch(`More than the ${size} bytes that were announced`)
    hash?.update(chunk)
    if (count < size) yield chunk
    else if (chunk.length > 0) last = chunk
  }
  if (count !== size) throw new StorageMismatch(`${count} bytes instead of ${size}`)
  if (hash && hash.digest('hex') !== sha256) throw new StorageMismatch('Not the content that was announced')
  if (last) yield last
}
