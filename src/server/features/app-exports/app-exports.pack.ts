import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { PortableAsset, PortablePicture } from '#archive/app-format.ts'
import { type SigningKey, signaturePath, signManifest } from '#archive/signature.ts'
import { packZip } from '#archive/zip.ts'
import type { PortableSource } from '#server/features/portable-apps/portable-apps.service.ts'
import { AppError } from '#shared/errors.ts'

interface Packing {
  /** The folder of the manifest and of the written files. */
  folder: string
  files: readonly { path: string; bytes: number }[]
  /** Returns the asset or picture of a path that was not written, and the source of its bytes. */
  elsewhere(path: string): { source: PortableSource; file: PortableAsset | PortablePicture } | undefined
  key: SigningKey
  signal: AbortSignal
}

/** Signs the manifest and writes the zip. Returns its size in bytes. */
export async function packArchive(
  { folder, files, elsewhere, key, signal }: Packing,
  target: string,
): Promise<number> {
  const text = await readFile(join(folder, 'manifest.json'))
  await writeFile(join(folder, signaturePath), signManifest(text, key))
  const beside = ['manifest.json', signaturePath].map(async (path) => ({
    path,
    bytes: (await stat(join(folder, path))).size,
  }))
  const open = (path: string) => {
    const found = elsewhere(path)
    return found ? Readable.from(bytesOf(found, signal)) : createReadStream(join(folder, path))
  }
  return packZip([...(await Promise.all(beside)), ...files], open, target)
}

/** Yields the bytes of a file. Throws `FileIsDamaged` if they do not match the hash in the manifest. */
async function* bytesOf(
  { source, file }: { source: PortableSource; file: PortableAsset | PortablePicture },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  const bytes = 'type' in file ? [await source.picture(file)] : source.bytes(file)
  for await (const chunk of bytes) {
    signal.throwIfAborted()
    hash.update(chunk)
    yield chunk
  }
  if (hash.digest('hex') !== file.sha256) throw new AppError('FileIsDamaged')
}

/** Returns the source with assets that have no files. */
export const withoutFiles = (source: PortableSource): PortableSource => ({
  ...source,
  async *assets() {
    for await (const asset of source.assets()) yield { ...asset, path: null }
  },
})
