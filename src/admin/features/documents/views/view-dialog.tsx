import { Button, Group, Radio, Select, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import type { Model } from '#shared/contract/models.ts'
import type { View, ViewSettings } from '#shared/contract/views.ts'
import { type ViewType, viewTypes } from '#shared/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { LayoutSettings } from './layout-settings.tsx'
import { createView, updateView } from './views.queries.ts'

interface ViewDialogProps {
  model: Model
  place: ModelPlace
  /** The view to change; undefined: a new one. */
  view: View | undefined
  /** What a new one shows. */
  settings: ViewSettings
  mayManage: boolean
  /** With the view as it is now, if something was done. */
  onClose: (view?: View) => void
}

/** What a view is called, how it shows documents, and for whom it is. */
export function ViewDialog({ model, place, view, settings: given, mayManage, onClose }: ViewDialogProps) {
  const t = useTranslations('views')
  const common = useTranslations('common')
  const [name, setName] = useState(view?.name ?? '')
  const [type, setType] = useState<ViewType>(view?.type ?? 'TABLE')
  const [personal, setPersonal] = useState(view?.personal ?? !mayManage)
  const [settings, setSettings] = useState(view?.settings ?? given)
  const [problem, setProblem] = useState<string | null>(null)
  const [missing, setMissing] = useState(false)
  const [sending, setSending] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (name.trim() === '') {
      setMissing(true)
      return
    }
    setSending(true)
    try {
      const data = { name: name.trim(), type, settings }
      onClose(await (view ? updateView(place, view, data) : createView(place, { ...data, personal })))
    } catch (error) {
      setProblem(errorText(error))
      setSending(false)
    }
  }

  return (
    <Dialog onClose={() => onClose()} title={view ? t('edit') : t('new')}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <FormProblem text={problem} />
          <TextInput
            data-autofocus
            label={t('name')}
            value={name}
            maxLength={100}
            error={missing && name.trim() === '' ? t('nameRequired') : null}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label={t('type')}
            description={t(`typeHints.${type}`)}
            data={viewTypes.map((value) => ({ value, label: t(`types.${value}`) }))}
            value={type}
            allowDeselect={false}
            onChange={(next) => next && setType(next as ViewType)}
          />
          <LayoutSettings model={model} type={type} settings={settings} onChange={setSettings} />
          {!view && (
            <Radio.Group
              label={t('for')}
              value={personal ? 'me' : 'all'}
              onChange={(value) => setPersonal(value === 'me')}
            >
              <Stack gap="xs" mt={6}>
                <Radio
                  value="all"
                  label={t('forAll')}
                  disabled={!mayManage}
                  description={mayManage ? undefined : t('forAllHint')}
                />
                <Radio value="me" label={t('forMe')} />
              </Stack>
            </Radio.Group>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onClose()}>
              {common('cancel')}
            </Button>
            <Button type="submit" loading={sending}>
              {view ? common('save') : t('create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
