import { useTranslations } from 'use-intl'

/** How many titles a confirmation names; the rest is counted. */
const namedTitles = 3

/** Joins the first titles and the total number: 「A」、「B」、「C」ほかN件. */
export function useNamedTitles(): (titles: readonly string[], total?: number) => string {
  const t = useTranslations('documents.editor')
  return (titles, total = titles.length) => {
    // Quoted, because a title may contain 、.
    const shown = titles.slice(0, namedTitles).map((title) => t('quoted', { title }))
    const named = shown.join(t('separator'))
    return total <= shown.length ? named : t('andOthers', { titles: named, count: total - shown.length })
  }
}
