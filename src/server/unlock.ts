import { userInfo } from 'node:os'
import { loadConfig } from './config.ts'
import { openDatabase } from './db/connection.ts'
import { startEmbeddedPostgres } from './db/embedded-postgres/start.ts'
import { type Unlocked, type Unlocking, unlock } from './features/installation/unlock.service.ts'
import { StartupError } from './lib/startup-error.ts'
import { openServices } from './open-services.ts'
import { loadSecrets } from './secrets.ts'

/*
 * `npm run unlock` restores access for users who are locked out. It works with or without a running Imori, with the
 * same settings.
 */

const usage = {
  ja: `使い方:
  npm run unlock -- space <スペースのUID>               スペースの「接続を許可するIPアドレス」と「SSOを必須にする」を解除します
  npm run unlock -- second-factor <メールアドレス>       アカウントの2段階認証を解除します
  npm run unlock -- email <今のアドレス> <新しいアドレス>  アカウントのメールアドレスを変更します
操作は監査ログに記録され、本人へのお知らせのメールが作られます（送信にはメールサーバーが必要です）。`,
  en: `Usage:
  npm run unlock -- space <space UID>                     remove the IP restriction and the SSO requirement of a space
  npm run unlock -- second-factor <email address>         remove two-factor authentication of an account
  npm run unlock -- email <current address> <new address> change the email address of an account
The change is recorded in the audit log, and the account's owner gets an email (if a mail server is set up).`,
}

const sentences: Record<'ja' | 'en', Record<Unlocked, string>> = {
  ja: {
    done: '完了しました。監査ログに記録しました。',
    nothing: '解除するものはありませんでした。',
    noSpace: 'そのUIDのスペースはありません。',
    noAccount: 'そのメールアドレスのアカウントはありません。',
    emailIsTaken: '新しいメールアドレスは、ほかのアカウントで使われています。',
    emailIsWrong: '新しいメールアドレスの形式が正しくありません。',
  },
  en: {
    done: 'Done. The change was recorded in the audit log.',
    nothing: 'There was nothing to remove.',
    noSpace: 'There is no space with this UID.',
    noAccount: 'There is no account with this email address.',
    emailIsTaken: 'Another account already uses the new email address.',
    emailIsWrong: 'The new email address is not valid.',
  },
}

const { env } = process
const language = /^en/.test(env.LC_ALL || env.LC_MESSAGES || env.LANG || '') ? 'en' : 'ja'

function readArguments([what, first, second, ...rest]: string[]): Unlocking | null {
  if (first === undefined || rest.length > 0) return null
  if (what === 'email') return second === undefined ? null : { what, email: first, to: second }
  if (second !== undefined) return null
  if (what === 'space') return { what, uid: first }
  return what === 'second-factor' ? { what, email: first } : null
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return '' // a container's user may have no name
  }
}

async function run(asked: Unlocking): Promise<Unlocked> {
  const config = loadConfig(env)
  const secrets = await loadSecrets(config)
  const postgres = config.databaseUrl
    ? null
    : await startEmbeddedPostgres({ dataDir: config.dataDir, log: () => {} })
  try {
    const connection = postgres?.connection ?? config.databaseUrl ?? ''
    const database = await openDatabase(connection, undefined, config.connections)
    const { services, close } = openServices({ config, secrets, database })
    try {
      return await unlock(database.kysely, { name: userName(), services }, asked)
    } finally {
      await close()
      await database.close()
    }
  } finally {
    await postgres?.stop()
  }
}

const asked = readArguments(process.argv.slice(2))
if (!asked) {
  console.log(usage[language])
  process.exitCode = 2
} else
  await run(asked).then(
    (result) => {
      console.log(sentences[language][result])
      process.exitCode = result === 'done' || result === 'nothing' ? 0 : 1
    },
    (error: unknown) => {
      console.error(error instanceof StartupError ? error.message : error)
      process.exitCode = 1
    },
  )
