import { stat } from 'node:fs/promises'
import { NotAnArchive } from '#archive/errors.ts'
import type { AnyManifest } from '#archive/manifest.ts'
import type { Signature } from '#archive/signature.ts'
import { verifyArchive } from '#archive/verify.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'
import { refusalOf } from '../archive/refusal.ts'

/** The archive to verify: a whole file, or one of several archives in a file, by its folder. */
export interface Checked {
  path: string
  part?: string | undefined
}

/** The result of verifying every file of an archive. */
export interface Finding {
  /** The problem found. undefined: the archive is valid. */
  refusal: MoveRefusal | undefined
  signature: Signature | null
  /** Unpacked size in bytes. */
  bytes: number
}

const refusals = {
  unopenable_file: 'cutShort',
  unsafe_names: 'unsafeNames',
  not_finished: 'notFinished',
  newer: 'newerFormat',
  other: 'notAnArchive',
} as const

/**
 * Limit of the unpacked size: `atMost` bytes plus `times` the size of the archive. A zip reduces texts to a tenth of
 * their size, and bombs to a thousandth.
 */
const unpacked = { atMost: 1024 ** 3, times: 100 }

class Bomb extends Error {}

/** Makes an untrusted file name safe to store and to show. */
const printable = (name: string) =>
  name
    .replace(/\p{Cc}/gu, '?')
    .slice(0, 200)
    .toWellFormed()

/**
 * Returns the unpacked size that the manifest states. Unpacking is limited to this size as well. Throws `Bomb` if this
 * size and `others` together exceed the limit.
 */
async function refuseBombs(
  path: string,
  files: AnyManifest['manifest']['files'],
  others: number,
): Promise<number> {
  const { size } = await stat(path)
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (others + bytes > unpacked.atMost + unpacked.times * size) throw new Bomb()
  return bytes
}

/**
 * Verifies every file of an archive. `others`: unpacked size of the archives in the same file that are already
 * verified.
 */
export async function verifyUpload(
  { path, part, others = 0 }: Checked & { others?: number | undefined },
  onProgress: (done: number, total: number) => void,
): Promise<Finding> {
  let bytes = 0
  const refused = (...refusal: Parameters<typeof refusalOf>): Finding => ({
    refusal: refusalOf(...refusal),
    signature: null,
    bytes,
  })
  try {
    const { problems, found, signature } = await verifyArchive(path, {
      part,
      onManifest: async ({ files }) => {
        bytes = await refuseBombs(path, files, others)
      },
      onProgress,
    })
    return { refusal: found > 0 ? refusalOf('damaged', problems, found) : undefined, signature, bytes }
  } catch (error) {
    if (error instanceof Bomb) return refused('tooLarge')
    if (!(error instanceof NotAnArchive)) throw error
    const items = error.what === undefined ? [] : [{ kind: 'leadsOut', what: printable(error.what) }]
    return refused(refusals[error.reason], items)
  }
}
