import { isAccepted } from '#shared/accept.ts'

/** Maximum number of files per upload, and maximum bytes per file (the same limits as on the server). */
export const maximumFiles = 10
export const maximumBytes = 20 * 1024 * 1024

export type Refusal = 'tooMany' | 'tooLarge' | 'empty' | 'notAccepted'

/** Returns for each selected file, in order, the reason why it is rejected before sending, or null. */
export function refusalsOf(
  files: readonly Pick<File, 'name' | 'type' | 'size'>[],
  accept?: string,
): (Refusal | null)[] {
  let taken = 0
  return files.map((file) => {
    if (file.size > maximumBytes) return 'tooLarge'
    if (file.size === 0) return 'empty'
    if (!isAccepted(file, accept)) return 'notAccepted'
    taken++
    return taken > maximumFiles ? 'tooMany' : null
  })
}
