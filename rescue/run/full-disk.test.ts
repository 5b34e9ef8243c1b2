/** @module-tag full */
import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import {
  optionsFor,
  recorder,
  rescueAndVerify,
  temporaryFolder,
  timelessSnapshot,
} from '#rescue/testing/helpers.ts'
import { largeSpace } from '#test/newt-stand-in/large-space.ts'
import { startStandIn } from '#test/newt-stand-in/server.ts'
import { rescue } from './rescue.ts'

/** Mounts a small file system. Returns false if the process may not mount. */
function mount(dir: string, size: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

it('a rescue stops with `disk_full` on a full disk, and completes the archive when there is space', async ({
  skip,
}) => {
  const folder = await temporaryFolder()
  const disk = join(folder.path, 'disk')
  await mkdir(disk)
  if (!mount(disk, '3m')) {
    await folder.remove()
    skip('mounting is not allowed here')
  }
  const standIn = await startStandIn(largeSpace(2_000, 300), { isStatic: true })
  try {
    const out = join(disk, 'archive')
    const { reporter, text } = recorder()
    for (let round = 0; round < 2; round++) {
      await expect(rescue(optionsFor(standIn, out), reporter, text)).rejects.toMatchObject({
        code: 'disk_full',
      })
    }
    execFileSync('mount', ['-o', 'remount,size=60m', disk])
    const { verification } = await rescueAndVerify(optionsFor(standIn, out))
    expect(verification).toMatchObject({ status: 'complete', problems: [] })
    const roomy = join(folder.path, 'roomy')
    await rescueAndVerify(optionsFor(standIn, roomy))
    expect(await timelessSnapshot(out)).toEqual(await timelessSnapshot(roomy))
  } finally {
    await standIn.close()
    execFileSync('umount', [disk])
    await folder.remove()
  }
})
