import { formatBytes, type Messages, plain, type Trouble } from '#rescue/messages/messages.ts'
import type { Phase, Reporter } from '#rescue/run/reporter.ts'

interface Screen {
  write(text: string): unknown
  isTTY?: boolean | undefined
  columns?: number | undefined
}

const redrawMs = 200
const lineMs = 10_000

/**
 * Creates a reporter. On a terminal it redraws one line. Elsewhere it prints at most one progress line every ten
 * seconds, except at the start and end of a phase.
 */
export function createReporter(screen: Screen, text: Messages, now: () => number = Date.now): Reporter {
  const { progress } = text
  let phase: Phase | undefined
  let phaseStart = 0
  let doneBefore = 0
  let shownAt = 0
  let drawn = false
  let isOver = false

  function clear(): void {
    if (drawn) screen.write('\r\u001b[2K')
    drawn = false
  }

  function show(raw: string, force: boolean): void {
    if (isOver) return
    const line = plain(raw)
    const wait = screen.isTTY ? redrawMs : lineMs
    if (!force && now() - shownAt < wait) return
    shownAt = now()
    if (!screen.isTTY) {
      screen.write(`${line}\n`)
      return
    }
    clear()
    screen.write(cutToWidth(line, (screen.columns || 80) - 1))
    drawn = true
  }

  return {
    step(next, done, total, bytes = 0) {
      const starts = next !== phase
      if (starts) {
        phase = next
        phaseStart = now()
        doneBefore = done
      }
      const labels: Record<Phase, () => string> = {
        contents: () => progress.contents(done, total),
        assets: () => progress.assets(done, total, formatBytes(bytes)),
        looking: () => progress.looking,
        texts: () => progress.texts(done, total),
        writing: () => progress.writing,
        zipping: () => progress.zipping,
        verifying: () => progress.verifying(done, total),
      }
      const seconds = (now() - phaseStart) / 1_000
      const rate = seconds > 2 ? (done - doneBefore) / seconds : 0
      const left = rate > 0 && total > done ? Math.ceil((total - done) / rate) : 0
      const time = left > 90 ? progress.minutes(Math.ceil(left / 60)) : progress.seconds(left)
      const label = labels[next]()
      show(left > 0 ? `${label}  ${progress.remaining(time)}` : label, starts || (total > 0 && done >= total))
    },
    note(line) {
      if (isOver) return
      clear()
      screen.write(`${plain(line)}\n`)
      shownAt = 0
    },
    waiting(reason, ms) {
      show(progress.waiting(troubleOf(reason), Math.ceil(ms / 1_000)), false)
    },
    end() {
      clear()
      isOver = true
    },
  }
}

/** Maps a status or system code to a category for the user. */
function troubleOf(reason: string): Trouble {
  if (reason === '429') return 'busy'
  if (reason === 'timeout' || reason === '408') return 'slow'
  if (reason === 'refused' || /^4\d\d$/.test(reason)) return 'refused'
  if (/^5\d\d$/.test(reason)) return 'server'
  return reason.startsWith('unreadable') ? 'unreadable' : 'broken'
}

/** Truncates a line to a width in columns. Japanese characters take two columns. */
function cutToWidth(line: string, columns: number): string {
  let width = 0
  let cut = ''
  for (const character of line) {
    width += (character.codePointAt(0) ?? 0) > 0x2e7f ? 2 : 1
    if (width > columns) return cut
    cut += character
  }
  return cut
}
