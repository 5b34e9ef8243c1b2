import { useNavigate } from '@tanstack/react-router'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { toast } from '#admin/lib/toast.ts'
import { confirm } from '#admin/ui/confirm.tsx'
import { documentsChanged } from '../documents.queries.ts'
import { runOne } from '../list/bulk-actions.ts'
import { titleIn } from '../list/list-query.ts'
import { readSeenList } from '../list/seen-list.ts'
import { findDraftReferences, findMissingAssets } from '../references.ts'
import { undoDelete } from '../trash/restore.ts'
import { useDuplicate } from '../use-duplicate.ts'
import { useNamedTitles } from '../use-named-titles.ts'
import type { SaveType } from './document-saver.ts'
import { useDocument, useEditor, useSaveStatus } from './editor-context.ts'
import { issueInForm } from './issue-in-form.ts'
import { MissingAssets } from './missing-assets.tsx'
import type { DocumentActions } from './publish-button.tsx'

interface Options {
  save: (type: SaveType) => Promise<boolean>
  /** Opens the dialog of the pending conflict. */
  decide: () => void
  /** The copy of the input in this browser. `keep` stores it immediately; `forget` deletes it. */
  copy: { keep: () => void; forget: () => void }
}

/**
 * Returns the actions of the editor's buttons. Unpublishing and deleting ask for confirmation. Publishing asks only if
 * the document refers to drafts or missing files, and duplicating only if there are unsaved changes.
 */
export function useDocumentActions({ save, decide, copy }: Options): DocumentActions {
  const t = useTranslations('documents.editor')
  const named = useNamedTitles()
  const editor = useEditor()
  const { model, place, store } = editor
  const known = useDocument()
  const { conflict } = useSaveStatus()
  const navigate = useNavigate()
  const copyDocument = useDuplicate(model, place)

  /**
   * Returns a text about the referring documents for the confirmation. null: there are none, or the request failed. A
   * failed request must not block the action.
   */
  async function referrersOf(id: string) {
    const answer = await api('GET /api/project/{p}/app/{a}/model/{m}/doc/{id}/references', {
      params: { ...place, id },
    }).catch(() => null)
    if (!answer || answer.total === 0) return null
    const titles = answer.references.map((one) => one.title || t('untitled'))
    return <p>{t('referrers', { total: answer.total, titles: named(titles, answer.total) })}</p>
  }

  async function publish() {
    const values = store.all()
    const [drafts, missing] = await Promise.all([
      findDraftReferences(model, place, values).catch(() => []),
      findMissingAssets(model, place, values, known?.id ?? null).catch(() => []),
    ])
    if (drafts.length === 0 && missing.length === 0) {
      await save('PUBLISH')
      return
    }
    confirm({
      title: missing.length > 0 ? t('missingAssetsTitle') : t('draftReferencesTitle'),
      message: (
        <>
          {missing.length > 0 && <MissingAssets rows={missing.map((issue) => issueInForm(issue, editor))} />}
          {drafts.length > 0 && t('draftReferencesText', { titles: named(drafts) })}
        </>
      ),
      action: t('draftReferencesAction'),
      run: () => save('PUBLISH'),
    })
  }

  async function unpublish(id: string) {
    const referrers = await referrersOf(id)
    confirm({
      title: t('unpublishTitle'),
      message: (
        <>
          {t('unpublishText')}
          {referrers}
        </>
      ),
      action: t('unpublishAction'),
      run: async () => {
        const draft = await runOne(place, 'unpublish', id)
        store.refresh(draft)
        documentsChanged(place, draft)
        toast.success(t('unpublished'))
      },
    })
  }

  async function duplicate(id: string) {
    if (!store.hasUnsaved()) return copySaved(id)
    confirm({
      title: t('duplicateUnsavedTitle'),
      message: t('duplicateUnsavedText'),
      action: t('duplicateUnsavedAction'),
      run: async () => {
        if (await save('SAVE')) await copySaved(id)
      },
    })
  }

  /** Creates a copy of the saved state of the document. */
  function copySaved(id: string) {
    const field = model.fields.find(({ _id }) => _id === model.titleField)
    const saved = field ? { [field.uid]: store.serverValue(field.uid) } : {}
    return copyDocument(id, titleIn(model, saved))
  }

  async function remove(id: string) {
    const referrers = await referrersOf(id)
    confirm({
      title: t('removeTitle'),
      message: (
        <>
          {t('removeText')}
          {store.hasUnsaved() && <p>{t('removeUnsaved')}</p>}
          {referrers}
        </>
      ),
      action: t('removeAction'),
      danger: true,
      run: async () => {
        await api('DELETE /api/project/{p}/app/{a}/model/{m}/doc/{id}', { params: { ...place, id } })
        // If the document is restored later, the editor offers this input again.
        if (store.hasUnsaved()) copy.keep()
        else copy.forget()
        // The page navigates first, so that invalidating the cache does not reload the deleted document.
        const search = readSeenList(place)?.search ?? {}
        await navigate({ to: '/$p/$a/$m', params: place, search, ignoreBlocker: true })
        documentsChanged(place)
        const title = titleIn(model, store.all()) || t('untitled')
        const published = known !== null && known.sys.status !== 'draft'
        toast.success(t('removed', { title }), undoDelete(place, [{ _id: id, published }]))
      },
    })
  }

  const unlessConflict = (act: () => Promise<unknown>) => () => {
    if (conflict) decide()
    else void act()
  }
  const ifKnown = (act: (id: string) => Promise<unknown>) => () => {
    if (known) void act(known.id)
  }
  return {
    save: unlessConflict(() => save('SAVE')),
    publish: unlessConflict(publish),
    unpublish: ifKnown(unpublish),
    duplicate: unlessConflict(async () => known && duplicate(known.id)),
    remove: ifKnown(remove),
  }
}
