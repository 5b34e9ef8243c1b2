import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { chmod, chown, lchown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { StartupError } from '#server/lib/startup-error.ts'
import { prepareBinaries, wayOut } from './binaries.ts'
import { canPass, cleanEnvironment, isRoot, passwdUser, serverUser, type User } from './user.ts'

export type Cluster = {
  /** PostgreSQL's data directory (PGDATA). */
  data: string
  /** Folder with bin/, lib/ and share/. */
  binaries: string
  user: User
  /** Password of the server's roles. Set only on Windows, where the server listens on loopback. */
  password: string | undefined
}

const major = '18'
const onWindows = process.platform === 'win32'

/**
 * Finds or creates the database directory of `dataDir`. If the process is root and PostgreSQL's user cannot access
 * `dataDir` (for example under /root), the directory is in `outside`, and `dataDir/database-location` contains its
 * path. Throws a `StartupError` if no directory can be used.
 */
export async function prepareCluster(
  dataDir: string,
  outside: string,
  log: (line: string) => void,
): Promise<Cluster> {
  try {
    const { data, user } = await locate(dataDir, outside, log)
    const parent = dirname(data)
    const binaries = await prepareBinaries(parent, user)
    const passwordFile = join(dataDir, 'database-password')
    const version = await readVersion(data)
    if (!version) await initialise(data, binaries, user, passwordFile)
    else if (version !== major)
      throw new StartupError(
        `${data} was created by PostgreSQL ${version}, but this Imori contains version ${major}: use the Imori that created it, or ${wayOut}`,
      )
    return { data, binaries, user, password: onWindows ? await readFile(passwordFile, 'utf8') : undefined }
  } catch (error) {
    if (error instanceof StartupError) throw error
    const { message } = error as Error
    throw new StartupError(`Cannot use the data directory ${dataDir} (${message}): check it, or ${wayOut}`)
  }
}

async function locate(dataDir: string, outside: string, log: (line: string) => void) {
  await mkdir(dataDir, { recursive: true })
  const note = join(dataDir, 'database-location')
  const noted = (await readIfThere(note))?.trim()
  const data = noted || join(dataDir, 'database')
  if (!isRoot()) {
    const made = await readVersion(data)
    if (made === 'unreadable')
      throw new StartupError(
        `${data} belongs to another user: start Imori as that user or as root, or ${wayOut}`,
      )
    return { data, user: undefined }
  }
  // An existing database is run by its owner, so that root and an ordinary user can alternate.
  const owner = await stat(data).catch(() => undefined)
  const user = owner && owner.uid > 0 ? { uid: owner.uid, gid: owner.gid } : serverUser
  const { mode } = await stat(dataDir)
  if (!noted && !(mode & 0o001)) await chmod(dataDir, (mode & 0o7777) | 0o001)
  if (await canPass(dirname(data), user)) return { data, user }
  if (owner)
    throw new StartupError(
      `PostgreSQL's user (uid ${user.uid}) cannot access ${data}: make the folders above it accessible (chmod o+x), or move it`,
    )
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const place = join(outside, name, 'database')
  await mkdir(dirname(place), { recursive: true, mode: 0o755 })
  if (!(await canPass(dirname(place), user)))
    throw new StartupError(
      `PostgreSQL's user (uid ${user.uid}) can access neither ${dataDir} nor ${outside}: set IMORI_DATA to a folder that other users can access, or ${wayOut}`,
    )
  await writeFile(note, `${place}\n`, { flush: true })
  log(`PostgreSQL does not run as root, and its user cannot access ${dataDir}. The database is in ${place}`)
  return { data: place, user }
}

/**
 * Returns PG_VERSION of the directory. `undefined` if the directory or this file does not exist, 'unreadable' if this
 * process may not read it.
 */
async function readVersion(data: string): Promise<string | undefined> {
  const text = await readIfThere(join(data, 'PG_VERSION')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EACCES') return 'unreadable'
    throw error
  })
  return text?.trim()
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function initialise(data: string, binaries: string, user: User, passwordFile: string): Promise<void> {
  await removeAbandoned(data)
  const draft = `${data}.${process.pid}.${randomBytes(4).toString('hex')}`
  const initUser = user && (await passwdUser())
  if (onWindows)
    await writeFile(passwordFile, randomBytes(24).toString('hex'), { flag: 'wx' }).catch(() => {})
  try {
    await runInitdb(draft, binaries, initUser, passwordFile)
    if (user) await giveTo(draft, user)
    // An interrupted start leaves only its draft. If two first starts run at the same time, one wins and both use its
    // directory.
    await rename(draft, data).catch(async (error: unknown) => {
      if (!(await readVersion(data))) throw error
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Removes the drafts of starts that were killed. */
async function removeAbandoned(data: string): Promise<void> {
  for (const name of await readdir(dirname(data))) {
    const pid = /^(\d+)\.[0-9a-f]{8}$/.exec(name.slice(basename(data).length + 1))?.[1]
    if (!pid || !name.startsWith(`${basename(data)}.`)) continue
    try {
      process.kill(Number(pid), 0)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') continue
      await rm(join(dirname(data), name), { recursive: true, force: true })
    }
  }
}

async function runInitdb(draft: string, binaries: string, user: User, passwordFile: string): Promise<void> {
  // LC_CTYPE matters in addition to the builtin provider: with C, pg_trgm finds no trigrams in Japanese text.
  for (const ctype of ['C.UTF-8', 'en_US.UTF-8', 'C']) {
    await rm(draft, { recursive: true, force: true })
    await mkdir(draft, { mode: 0o700 })
    if (user) await chown(draft, user.uid, user.gid)
    const locale = [
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      `--lc-ctype=${ctype}`,
    ]
    const auth = onWindows
      ? ['--auth=scram-sha-256', `--pwfile=${passwordFile}`]
      : ['--auth-local=trust', '--auth-host=reject']
    const options = ['-D', draft, '-U', 'postgres', '-E', 'UTF8', '-k', ...locale, ...auth]
    try {
      const child = { ...user, env: cleanEnvironment(), cwd: draft, timeout: 120_000 }
      await promisify(execFile)(join(binaries, 'bin', 'initdb'), options, child)
      return
    } catch (error) {
      const { stderr = '', message } = error as Error & { stderr?: string }
      if (ctype !== 'C' && /invalid locale|locale name/.test(stderr)) continue
      const detail = /(?:error|FATAL|initdb): *(.*)/.exec(stderr)?.[1] ?? message.split('\n')[0]
      throw new StartupError(`The database could not be created in ${dirname(draft)} (${detail}): ${wayOut}`)
    }
  }
}

async function giveTo(path: string, user: { uid: number; gid: number }): Promise<void> {
  await lchown(path, user.uid, user.gid)
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    if (entry.isDirectory()) await giveTo(inner, user)
    else await lchown(inner, user.uid, user.gid)
  }
}
