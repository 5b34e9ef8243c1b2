import { resolve } from 'node:path'
import type { Gap, Manifest } from '#archive/format.ts'
import { writeZip } from '#archive/zip.ts'
import { RescueFailure, toFailure } from '#rescue/failure.ts'
import type { Messages } from '#rescue/messages/messages.ts'
import { connect } from '#rescue/newt/connect.ts'
import { checkAccess } from './check-access.ts'
import type { RescueOptions } from './options.ts'
import type { Reporter } from './reporter.ts'
import { Run } from './run.ts'
import { Workspace } from './workspace.ts'

export interface RescueResult {
  manifest: Manifest
  gaps: Gap[]
  zipPath: string | undefined
  /**
   * The failure that stopped the run, or undefined. After a failure, the archive contains all data that was received
   * before.
   */
  failure: RescueFailure | undefined
}

/** Runs a rescue from the start, or resumes an earlier one in the same folder. */
export async function rescue(
  options: RescueOptions,
  reporter: Reporter,
  text: Messages,
  signal?: AbortSignal,
): Promise<RescueResult> {
  const { space, app, origin } = options
  const dir = resolve(options.out)
  const connection = connect(options, reporter.waiting, signal)
  let run: Run | undefined
  try {
    // Tokens and uids are checked before a folder is created.
    const fresh = !(await Workspace.isUnfinished(dir))
    const body = fresh ? await checkAccess(connection.api, options, fresh) : undefined
    const workspace = await Workspace.open(dir, { space, app, origin: origin ?? '' })
    run = new Run(options, workspace, connection, reporter, text)
    let failure: RescueFailure | undefined
    try {
      await run.prepare()
      await run.all(fresh ? body : await checkAccess(connection.api, options, fresh))
    } catch (error) {
      failure = toFailure(error, { dir: options.out })
      // Received data is written even after a failure, unless the user stopped the run or the folder cannot be written.
      if (signal?.aborted || !run.hasContents || !canWriteAfter(failure)) throw failure
      await run.saveAssets().catch((error: unknown) => {
        const second = toFailure(error, { dir: options.out })
        if (signal?.aborted || !canWriteAfter(second)) throw second
      })
    }
    const { manifest, gaps } = await run.write(failure)
    let zipPath: string | undefined
    if (options.zip && !failure) {
      reporter.step('zipping', 0, 0)
      zipPath = `${dir}.zip`
      await writeZip(dir, manifest, zipPath)
    }
    // The working folder is kept while another run could add data: failed items, or a model that was not named yet.
    const { assets, references, contents } = manifest.counts.gaps
    if (manifest.status !== 'partial' && assets + references + contents === 0) await workspace.finish()
    return { manifest, gaps, zipPath, failure }
  } catch (error) {
    if (signal?.aborted) throw new RescueFailure('interrupted')
    throw toFailure(error, { dir: options.out })
  } finally {
    reporter.end()
    await run?.workspace.close()
    await connection.close()
  }
}

/** Returns false for failures of the folder itself, to which no data can be written, and for an interruption. */
function canWriteAfter({ code }: RescueFailure): boolean {
  return !['disk_full', 'interrupted'].includes(code) && !code.startsWith('folder_')
}
