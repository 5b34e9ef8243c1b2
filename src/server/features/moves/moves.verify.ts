import { stat } from 'node:fs/promises'
import { NotAnArchive } from '#archive/errors.ts'
import type { AnyManifest } from '#archive/manifest.ts'
import type { Signature } from '#archive/signature.ts'
import { verifyArchive } from '#archive/verify.ts'
import type { MoveRefusal } from '#shared/contract/moves.ts'

/** What is looked at: an archive, or one of several that lie side by side in a file. */
export interface Checked {
  path: string
  part?: string | undefined
}

/** What came of looking at every file of an archive. */
export interface Finding {
  /** What is wrong with it; undefined: nothing. */
  refusal: MoveRefusal | undefined
  signature: Signature | null
  /** What it unpacks to. */
  bytes: number
}

/** Things that are wrong with an archive and told one by one. */
export const mostItems = 100
const refusals = {
  unopenable_file: 'cutShort',
  unsafe_names: 'unsafeNames',
  not_finished: 'notFinished',
  newer: 'newerFormat',
  other: 'notAnArchive',
} as const

/** Bytes that an archive may unpack to: these, and so many times its own. Texts are a tenth of themselves in a zip, bombs a thousandth. */
const unpacked = { atMost: 1024 ** 3, times: 100 }

class Bomb extends Error {}

/** A stranger's name of a file as it can be stored and shown. */
const printable = (name: string) =>
  name
    .replace(/\p{Cc}/gu, '?')
    .slice(0, 200)
    .toWellFormed()

/** Throws Bomb for an archive that says of itself that it is one: more than that is not unpacked. Answers how much it is. */
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

/** Looks at every file of an archive. `others`: bytes that others unpack to that come with it. */
export async function verifyUpload(
  { path, part, others = 0 }: Checked & { others?: number | undefined },
  onProgress: (done: number, total: number) => void,
): Promise<Finding> {
  let bytes = 0
  const refused = (code: MoveRefusal['code'], items: MoveRefusal['items'] = []): Finding => ({
    refusal: { code, items, count: items.length },
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
    const refusal =
      found > 0
        ? ({ code: 'damaged', items: problems.slice(0, mostItems), count: found } as const)
        : undefined
    return { refusal, signature, bytes }
  } catch (error) {
    if (error instanceof Bomb) return refused('tooLarge')
    if (!(error instanceof NotAnArchive)) throw error
    const items = error.what === undefined ? [] : [{ kind: 'leadsOut', what: printable(error.what) }]
    return refused(refusals[error.reason], items)
  }
}
