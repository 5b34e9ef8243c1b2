import { useFormatter, useTranslations } from 'use-intl'

/** How many titles a question names; of the others it says how many there are. */
const namedTitles = 3

/** Makes 「A、B、CほかN件」 of the first titles and the number of all. */
export function useNamedTitles(): (titles: readonly string[], total?: number) => string {
  const t = useTranslations('documents.editor')
  const format = useFormatter()
  return (titles, total = titles.length) => {
    const shown = titles.slice(0, namedTitles)
    if (total <= shown.length) return format.list(shown)
    return t('andOthers', { titles: shown.join(t('separator')), count: total - shown.length })
  }
}
