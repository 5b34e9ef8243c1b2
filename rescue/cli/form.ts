import { RescueFailure } from '#rescue/failure.ts'
import { messagesFor } from '#rescue/messages/messages.ts'
import type { Language } from '#shared/languages.ts'
import type { RescueArguments } from './command.ts'
import { askForRuns, chooseLanguage, offerUnfinished } from './interactive.ts'
import { Prompter } from './prompt.ts'
import { exitCodeOf, isUnfinished, runAll, type Screen } from './run-all.ts'
import { summarise } from './summary.ts'

export interface Terminal extends Screen {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
}

/**
 * Runs the interactive mode: asks all questions, saves the apps unattended, and offers to retry the unfinished ones.
 * Resolves to the exit code. Throws `interrupted`.
 *
 * @param interruptible runs work with a signal that Ctrl-C aborts, while the prompter does not use the terminal
 */
export async function fillInForm(
  terminal: Terminal,
  command: { language: Language; options: RescueArguments },
  place: string,
  interruptible: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>,
  onLanguage: (language: Language) => void,
): Promise<number> {
  const { input, output } = terminal
  /** The prompter uses the terminal only during questions, because Ctrl-C has another meaning during a run. */
  const withPrompter = async <T>(work: (prompter: Prompter) => Promise<T>): Promise<T> => {
    const prompter = new Prompter(input, output)
    try {
      return await work(prompter)
    } finally {
      prompter.close()
    }
  }
  let language = command.language
  const runs = await withPrompter(async (prompter) => {
    language = await chooseLanguage(prompter, command.language)
    onLanguage(language)
    const { welcome, hint } = messagesFor(language).prompts
    for (const line of ['', welcome, hint, '']) prompter.say(line)
    const given = await offerUnfinished(prompter, language, command.options, place)
    return askForRuns(prompter, language, given)
  })
  const text = messagesFor(language)
  const work = async (some: typeof runs) => interruptible((signal) => runAll(some, terminal, text, signal))
  let outcomes = await work(runs)
  for (;;) {
    for (const line of await summarise(outcomes, text)) output.write(`${line}\n`)
    const failed = outcomes.filter(isUnfinished)
    if (failed.length === 0 || !(await withPrompter((prompter) => askToRetry(prompter, failed)))) break
    const again = await work(failed.map(({ options }) => options))
    outcomes = outcomes.map((outcome) => again.find(({ options }) => options === outcome.options) ?? outcome)
  }
  return exitCodeOf(outcomes)

  async function askToRetry(prompter: Prompter, failed: typeof outcomes): Promise<boolean> {
    const { retry, tryAgain, yesNo } = text.prompts
    prompter.say('')
    const isOffline = failed.every(({ failure }) => failure?.code === 'no_network')
    try {
      if (isOffline) prompter.say(retry)
      return await prompter.confirm(tryAgain(failed.map(({ options }) => options.app)), yesNo, true)
    } catch (error) {
      // Ctrl-C instead of an answer means no.
      if (error instanceof RescueFailure && error.code === 'interrupted') return false
      throw error
    }
  }
}
