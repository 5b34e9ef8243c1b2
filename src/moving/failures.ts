import { NotAnArchive, UnsafeName } from '#archive/errors.ts'
import { OutgoingHttpError } from '#server/lib/outgoing-http.ts'
import { NoSuchApp } from './chosen-apps.ts'
import { NothingToSend } from './import.ts'
import type { Messages } from './messages.ts'
import type { Sentences } from './sentences.ts'
import { NotImori, Refused } from './server-calls.ts'
import { NothingToUpdate } from './update.ts'

interface Around {
  text: Messages
  sentences: Sentences
  server: string
  space: string
  path: string
  /** Whether the command is `verify-move`. */
  compares: boolean
}

/** Returns a sentence with the problem and, for known errors, how to fix it. Unknown errors: the error as text. */
export function failureSentence(error: unknown, around: Around): string {
  const { text, sentences, server, space, path, compares } = around
  if (error instanceof NotImori) return text.notImori(server)
  if (error instanceof Refused) {
    if ([401, 403, 404].includes(error.status)) return text.notLetIn(space)
    return text.failed(error.status, sentences.error(error.code))
  }
  if (error instanceof OutgoingHttpError) return text.unreachable(server, error.detail || error.code)
  if (error instanceof NothingToUpdate) return text.nothingToUpdate(error.app)
  if (error instanceof NoSuchApp) return text.noSuchApp(error.app, error.apps)
  if (error instanceof UnsafeName) return text.unsafeName(path)
  if (error instanceof NothingToSend) return text.emptyFile(path)
  if (error instanceof NotAnArchive) {
    if (error.reason === 'not_finished') return text.notFinished(error.path || path)
    if (error.reason === 'newer') return compares ? text.notOurs(path) : text.newer(path)
    return error.reason === 'unopenable_file' ? text.notAZip(path) : text.notAnArchive(path)
  }
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return text.notThere(path)
  if (code === 'EACCES' || code === 'EPERM') return text.notReadable(path)
  return String(error)
}
