import type { ArchivedContent } from './moves.contents.ts'
import type { ArchiveIndex } from './moves.index.ts'
import type { PlanProblems } from './moves.plan-problems.ts'

/** Names the texts of an archive that are replaced, each in the content that it belongs to, also where that stands in others. */
export class ReplacedTexts {
  readonly #told = new Set<string>()
  readonly #index: ArchiveIndex
  readonly #problems: PlanProblems

  /** `index` knows all contents. */
  constructor(index: ArchiveIndex, problems: PlanProblems) {
    this.#index = index
    this.#problems = problems
  }

  tell(model: string, { id, replaced }: ArchivedContent): void {
    for (const { content, path, shown } of replaced) {
      const owner =
        content === '' || content === id ? undefined : this.#index.document({ _id: content, _sys: {} })
      const [own, at] = owner ? [owner.id, owner.model] : [id, model]
      const key = `${own} ${at}.${path}`
      if (this.#told.has(key)) continue
      this.#told.add(key)
      this.#problems.add('replacedCharacters', `${at}.${path}`, 1, `${own}: ${shown}`)
    }
  }
}
