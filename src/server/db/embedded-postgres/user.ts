import { lstat, readFile, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The OS user that a child process runs as; undefined means the current user. */
export type User = { uid: number; gid: number } | undefined

/**
 * PostgreSQL refuses to run as root, so under root it gets this uid. It needs no passwd entry, is not used by other daemons,
 * and is below 65536, because containers often map no higher ones.
 */
export const serverUser = { uid: 59_837, gid: 59_837 }

/** Is this process root, so that PostgreSQL needs another user? */
export const isRoot = () => process.getuid?.() === 0

/** A user with a passwd entry, which initdb requires (the server does not). */
export async function passwdUser(): Promise<{ uid: number; gid: number }> {
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const users = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .map(([, , uid, gid]) => ({ uid: Number(uid), gid: Number(gid) }))
    .filter((user) => user.uid > 0 && user.gid > 0)
  return users.find((user) => user.uid === 65_534) ?? users[0] ?? { uid: 65_534, gid: 65_534 }
}

/** Can `user` traverse `folder` and all folders above it? */
export async function canPass(folder: string, user: User): Promise<boolean> {
  if (!user) return true
  for (let path = await realpath(folder); ; path = dirname(path)) {
    const { mode, uid, gid } = await lstat(path)
    const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001
    if (!(mode & bit)) return false
    if (path === dirname(path)) return true
  }
}

/** The environment of PostgreSQL's programs: excludes this process's variables, which may contain secrets or PG* settings. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP']
  const env = Object.fromEntries(
    kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  )
  return { ...env, LC_ALL: 'C' }
}
