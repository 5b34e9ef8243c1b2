import { useFormatter, useTranslations } from 'use-intl'
import { finishInputs } from '#admin/fields/unfinished.ts'
import { closeToast, toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import type { WholeRevision } from '#shared/contract/documents.ts'
import type { Field } from '#shared/fields/index.ts'
import { useEditor } from '../editor-context.ts'
import { differingFields, restoreFields } from './restore-fields.ts'

/**
 * Returns a function that restores values of a version in the form, where they still have to be saved. Asks before it
 * replaces unsaved input. A toast offers an undo. It closes when one of the restored fields is edited.
 */
export function useRestore(revision: WholeRevision) {
  const t = useTranslations('documents.revisions')
  const format = useFormatter()
  const { store } = useEditor()
  const { version, values } = revision

  return async (wanted: readonly Field[], { message, done }: { message: string; done: () => void }) => {
    await finishInputs()
    const differing = differingFields(store, revision)
    const fields = wanted.filter((field) => differing.includes(field))
    const dirty = store.dirtyFields()
    const replaced = fields.filter(({ uid }) => dirty.includes(uid))
    const run = async () => {
      const restoring = restoreFields(store, fields, values)
      const shown = toast.success(message, { label: t('undo'), run: restoring.undo })
      restoring.onEdit(() => closeToast(shown))
      done()
    }
    if (replaced.length === 0) return run()
    confirm({
      title: t('replaceTitle'),
      message: t('replaceText', { version, fields: format.list(replaced.map(({ name }) => name)) }),
      action: t('replace'),
      run,
    })
  }
}
