import { lstat, readFile, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The OS user that runs a child process. `undefined`: the current user. */
export type User = { uid: number; gid: number } | undefined

/**
 * PostgreSQL refuses to run as root, so a root process runs it with this uid. The uid needs no passwd entry, and other
 * daemons are unlikely to use it. It is below 65536, because containers often map no higher uids.
 */
export const serverUser = { uid: 59_837, gid: 59_837 }

export const isRoot = () => process.getuid?.() === 0

/**
 * Returns a user with a passwd entry, which initdb requires: uid 65534 if it has one, otherwise the first user whose
 * uid and gid are above 0. Returns uid 65534 if there is no such user. The server requires no entry.
 */
export async function passwdUser(): Promise<{ uid: number; gid: number }> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const users = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }))
    .filter((user) => user.uid > 0 && user.gid > 0)
  return users.find((user) => user.uid === 65_534) ?? users[0] ?? { uid: 65_534, gid: 65_534 }
}

/** Returns whether `user` can traverse `folder` and all folders above it. */
export async function canPass(folder: string, user: User): Promise<boolean> {
  if (!user) return true
  for (let path = await realpath(folder); ; path = dirname(path)) {
    const { mode, uid, gid } = await lstat(path)
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if (!(mode & bit)) return false
    if (path === dirname(path)) return true
  }
}

/**
 * Returns the environment of PostgreSQL's programs. Excludes most of this process's variables, which may contain
 * secrets or PG* settings.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP']
  const env = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  )
  return { ...env, LC_ALL: 'C' }
}
