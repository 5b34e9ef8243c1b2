import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { RescueFailure } from '#rescue/failure.ts'

/**
 * Opens a file that grows over several runs for positioned writes. Never follows a link. Append mode is not used,
 * because Windows cannot truncate a file opened that way.
 */
export function openGrowing(path: string): Promise<FileHandle> {
  // The constant does not exist on Windows.
  const noFollow = (constants as { O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0
  return open(path, constants.O_RDWR | constants.O_CREAT | noFollow)
}

/**
 * Creates `parent/names…` step by step and returns its path. Throws `folder_not_ours` if a step is a link or a file.
 * `parent` itself may be a link, because the user chose it.
 */
export async function makeFolder(parent: string, ...names: string[]): Promise<string> {
  let path = parent
  for (const name of names) {
    path = join(path, name)
    await mkdir(path).catch((error: { code?: string }) => {
      if (error.code !== 'EEXIST') throw error
    })
    if (!(await lstat(path)).isDirectory()) throw new RescueFailure('folder_not_ours', { dir: parent })
  }
  return path
}
