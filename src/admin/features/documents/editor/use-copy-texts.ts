import { useTranslations } from 'use-intl'
import { toast } from '#admin/lib/toast.ts'

/** Returns a function that copies named texts to the clipboard and reports the result in a toast. */
export function useCopyTexts(): (texts: readonly { name: string; text: string }[]) => Promise<void> {
  const t = useTranslations('documents.editor')
  const common = useTranslations('common')
  return async (texts) => {
    try {
      await navigator.clipboard.writeText(texts.map(({ name, text }) => `${name}\n${text}`).join('\n\n'))
      toast.success(t('removedCopied'))
    } catch {
      toast.error(common('copyFailed'))
    }
  }
}
