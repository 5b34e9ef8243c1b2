import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '#server/lib/startup-error.ts'
import { wayOut } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import { cleanEnvironment, type User } from './user.ts'

/** The listening address of a server: the folder of its Unix socket, or (Windows) a loopback IP address. */
export type Address = { host: string; port: number }

const onWindows = process.platform === 'win32'

/** A socket path must fit sockaddr_un: 108 bytes on Linux, 104 on macOS. */
const longestSocketPath = 103

/**
 * Returns the listening address of a cluster. It does not change while a server runs, so that a later start finds the
 * server.
 */
export async function addressOf({ data, user }: Cluster): Promise<Address> {
  if (onWindows) return { host: '127.0.0.1', port: (await readPidFile(data))?.port ?? (await freePort()) }
  const port = 5432
  if (Buffer.byteLength(join(data, `.s.PGSQL.${port}`)) <= longestSocketPath) return { host: data, port }
  const owner = user?.uid ?? process.getuid?.() ?? 0
  const host = `/tmp/imori-${createHash('sha256').update(`${owner}:${data}`).digest('hex').slice(0, 16)}`
  await claimSocketFolder(host, user)
  return { host, port }
}

/**
 * Creates the folder of the socket. All users can write to /tmp, so an existing folder must belong to this user and be
 * closed to others. Throws a `StartupError` otherwise.
 */
async function claimSocketFolder(folder: string, user: User): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
    .then(() => user && chown(folder, user.uid, user.gid))
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  const found = await lstat(folder)
  const owner = user?.uid ?? process.getuid?.()
  if (!found.isDirectory() || found.uid !== owner || found.mode & 0o077)
    throw new StartupError(
      `${folder} is needed for PostgreSQL's socket but belongs to another user: remove it`,
    )
}

/** `max_wal_size` limits the duration of a recovery after a crash. */
const settings = () => ({
  jit: 'off',
  random_page_cost: '1.1',
  work_mem: '32MB',
  shared_buffers: '64MB',
  effective_cache_size: `${Math.max(256, Math.floor(totalmem() / 2 ** 21))}MB`,
  max_wal_size: '1GB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The application logs failed statements. The server would only write personal data to disk.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
})

/**
 * A started server. When it exits, `exited` resolves with its log output, or with the error if it could not be spawned.
 */
export type Launch = { exited: Promise<string> }

/** Starts `postgres` so that it survives a crash of this process. The next start adopts it. */
export async function launch({ data, binaries, user }: Cluster, { host, port }: Address): Promise<Launch> {
  const listen = onWindows
    ? { listen_addresses: host, port: `${port}` }
    : {
        listen_addresses: '',
        port: `${port}`,
        unix_socket_directories: host,
        unix_socket_permissions: '0700',
      }
  const options = Object.entries({ ...settings(), ...listen }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const logPath = join(data, 'server.log')
  const { size } = await stat(logPath).catch(() => ({ size: 0 }))
  if (size > 10 * 2 ** 20) await rename(logPath, `${logPath}.old`)
  const logFile = await open(logPath, 'a', 0o600)
  const { size: before } = await logFile.stat()
  const child = spawn(join(binaries, 'bin', 'postgres'), ['-D', data, ...options], {
    ...user,
    // A separate process group: Ctrl-C in the terminal must stop this process first and the database last.
    detached: true,
    stdio: ['ignore', logFile.fd, logFile.fd],
    env: cleanEnvironment(),
    cwd: data,
    windowsHide: true,
  })
  const exited = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message))
    child.on('exit', async () => {
      const text = await readFile(logPath).catch(() => Buffer.alloc(0))
      resolve(text.subarray(before).toString())
    })
  })
  child.unref()
  await logFile.close()
  return { exited }
}

/** Returns process id and port from postmaster.pid. `undefined` if no server claims the directory. */
export async function readPidFile(
  data: string,
): Promise<{ pid: number; port: number | undefined } | undefined> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => undefined)
  const lines = text?.split('\n')
  const pid = Number(lines?.[0])
  return Number.isSafeInteger(pid) && pid > 0 ? { pid, port: Number(lines?.[3]) || undefined } : undefined
}

/**
 * Removes lock files left by a crash if another program of the same user has reused the process id. PostgreSQL cannot
 * distinguish this case from a running server. Returns whether another start is worthwhile. Works only on Linux;
 * returns false on other systems.
 */
export async function removeStaleLock(data: string, { host, port }: Address): Promise<boolean> {
  const claimed = await readPidFile(data)
  if (!claimed || process.platform !== 'linux') return false
  const command = await readFile(`/proc/${claimed.pid}/cmdline`, 'utf8').catch(() => '')
  if (command.includes('postgres')) return false
  // The process has just ended, which PostgreSQL detects itself.
  if (!command) return true
  await rm(join(data, 'postmaster.pid'), { force: true })
  await rm(join(host, `.s.PGSQL.${port}.lock`), { force: true })
  return true
}

/**
 * Shuts down the server that claims `data`: in fast mode, and after 20 s in immediate mode, which is safe but needs
 * recovery at the next start. Throws if the server still runs 10 s later.
 */
export async function shutDown({ data, binaries }: Cluster): Promise<void> {
  const running = await readPidFile(data)
  if (!running) return
  // Waits until the lock file is removed, which PostgreSQL does last. The process id may still be in use if no parent
  // waits for the ended process.
  const ended = async (seconds: number) => {
    for (let i = 0; i < seconds * 100; i++) {
      if ((await readPidFile(data))?.pid !== running.pid) return true
      await sleep(10)
    }
    return false
  }
  // A crashed server does not remove its lock file.
  if (!(await signal(running.pid, 'SIGINT', binaries, data))) return
  if (await ended(20)) return
  await signal(running.pid, 'SIGQUIT', binaries, data)
  if (!(await ended(10)))
    throw new Error(`PostgreSQL (process ${running.pid}) does not stop; ${wayOut} or end it by hand`)
}

/** Returns false if the process does not exist. */
async function signal(
  pid: number,
  name: 'SIGINT' | 'SIGQUIT',
  binaries: string,
  data: string,
): Promise<boolean> {
  if (onWindows) {
    const mode = name === 'SIGINT' ? 'fast' : 'immediate'
    spawn(join(binaries, 'bin', 'pg_ctl'), ['stop', '-D', data, '-m', mode, '-W'], { stdio: 'ignore' })
    return true
  }
  try {
    process.kill(pid, name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    return false
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
