import { homedir } from 'node:os'
import { join } from 'node:path'

/** Characters that users type or paste around a uid or token. */

const quotes = /^[\s"'`「『<]+|[\s"'`」』>]+$/g

/** Uids found in a URL of Newt's admin UI or APIs. Parts that the URL lacks are empty. */
export interface PastedUids {
  space: string
  app: string
  model: string
}

/** Returns the uids in a URL of Newt. All are empty for any other text. */
export function uidsInAddress(answer: string): PastedUids {
  const text = answer.normalize('NFKC').replace(quotes, '')
  const host = /^(?:https?:\/\/)?([\w-]+)\.(?:api|cdn|assets|form)\.newt\.so(?:\/(?:v1\/(.*))?)?$/i.exec(text)
  if (host) {
    const [app = '', model = ''] = (host[2] ?? '').split(/[/?#]/).map(decoded)
    const isList = app !== 'space' && !/\.assets\.|\.form\./i.test(text)
    return { space: host[1] ?? '', app: isList ? app : '', model: isList ? model : '' }
  }
  const [, path] = /^(?:https?:\/\/)?app\.newt\.so\/([^?#]*)/i.exec(text) ?? []
  if (path === undefined) return { space: '', app: '', model: '' }
  const after = (name: RegExp) => decoded(name.exec(`/${path}`)?.[1] ?? '')
  return {
    space: after(/^\/(?:spaces?\/)?([\w-]+)/),
    app: after(/\/apps?\/([^/]+)/),
    model: after(/\/models?\/([^/]+)/),
  }
}

/** Decodes one segment of a URL. Returns it unchanged if it is not encoded validly. */
export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Returns one uid. Extracts it from a URL, or normalises full-width letters and removes quotes and spaces. */
export function uidIn(answer: string, part: keyof PastedUids): string {
  return uidsInAddress(answer)[part] || answer.normalize('NFKC').replace(quotes, '')
}

/** Returns uids that are separated by spaces, commas (also Japanese ones), semicolons or line breaks. */
export function uidList(answer: string): string[] {
  const words = answer.split(/[\s,、，;]+/).filter(Boolean)
  return [...new Set(words.map((word) => uidIn(word, 'model')))]
}

/**
 * Returns whether the uid is valid. A space's uid is part of a host name. Uids of apps and models may be any path
 * segment of up to 200 characters without control or format characters.
 */
export function isUid(uid: string, part: keyof PastedUids): boolean {
  if (part === 'space') return /^[\w-]{1,64}$/.test(uid)
  const isSegment = uid !== '' && uid !== '.' && uid !== '..' && uid.length <= 200 && uid.trim() === uid
  return isSegment && !/[/\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(uid)
}

/** Returns a token without the characters that pasting adds; undefined if the text cannot be a token. */
export function tokenIn(answer: string): string | undefined {
  const token = answer
    .replace(/[\p{Cf}\p{Cc}]/gu, '')
    .replace(quotes, '')
    .replace(/^Bearer\s+/i, '')
  return /^[\x21-\x7e]{1,4096}$/.test(token) ? token : undefined
}

/** Returns a folder that was typed, dragged into the window, or copied with quotes. `~` is the home folder. */
export function folderIn(answer: string, platform: NodeJS.Platform = process.platform): string {
  const text = answer.trim().replace(/^(["'])(.*)\1$/, '$2')
  const path = platform === 'win32' ? text : text.replace(/\\([ ()&'"])/g, '$1')
  return /^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path
}
