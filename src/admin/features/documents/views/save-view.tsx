import { Button, Group } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import type { View } from '#shared/contract/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import type { ListState } from './view-state.ts'
import { createView, updateView } from './views.queries.ts'

interface SaveViewProps {
  place: ModelPlace
  state: ListState
  onNew: () => void
  onOpen: (view: View) => void
}

/** Buttons to save changes of a list's settings to its view, to save them as a new view, or to discard them. */
export function SaveView({ place, state, onNew, onOpen }: SaveViewProps) {
  const t = useTranslations('views')
  const navigate = useNavigate()
  const mayManage = useCanInApp(place.p, place.a)('view.manage')
  const [saving, setSaving] = useState(false)
  const { view, settings } = state

  async function save(work: () => Promise<View>, done: string) {
    setSaving(true)
    try {
      onOpen(await work())
      toast.success(done)
    } catch (error) {
      toast.error(errorText(error))
    } finally {
      setSaving(false)
    }
  }

  if (!view)
    return (
      <Button size="compact-sm" variant="subtle" onClick={onNew}>
        {t('saveAsView')}
      </Button>
    )
  return (
    <Group gap={6} role="group" aria-label={t('unsaved')}>
      {(view.personal || mayManage) && (
        <Button
          size="compact-sm"
          disabled={saving}
          onClick={() => save(() => updateView(place, view, { settings }), t('saved'))}
        >
          {view.personal ? t('save') : t('saveForAll')}
        </Button>
      )}
      {!view.personal && (
        <Button
          size="compact-sm"
          variant="default"
          disabled={saving}
          onClick={() => {
            const { name, type } = view
            return save(() => createView(place, { name, type, settings, personal: true }), t('savedForMe'))
          }}
        >
          {t('saveForMe')}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        disabled={saving}
        onClick={() =>
          void navigate({ to: '/$p/$a/$m', params: place, search: { view: view.uid }, replace: true })
        }
      >
        {t('reset')}
      </Button>
    </Group>
  )
}
