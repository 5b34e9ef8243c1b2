import type { ArchiveIndex } from '../archive/archive-index.ts'
import type { ArchivedContent } from '../archive/archive-lines.ts'
import type { MovePlanProblems } from './move-plan-problems.ts'

/** Reports each replaced text of an archive once, even if its content is copied into others. */
export class ReplacedTexts {
  readonly #known = new Set<string>()
  readonly #index: ArchiveIndex
  readonly #problems: MovePlanProblems

  /** `index` must contain all contents. */
  constructor(index: ArchiveIndex, problems: MovePlanProblems) {
    this.#index = index
    this.#problems = problems
  }

  add(model: string, { id, replaced }: ArchivedContent): void {
    for (const { content, path, shown } of replaced) {
      const owner =
        content === '' || content === id ? undefined : this.#index.document({ _id: content, _sys: {} })
      const [own, at] = owner ? [owner.id, owner.model] : [id, model]
      const key = `${own} ${at}.${path}`
      if (this.#known.has(key)) continue
      this.#known.add(key)
      this.#problems.add('replacedCharacters', `${at}.${path}`, 1, `${own}: ${shown}`)
    }
  }
}
