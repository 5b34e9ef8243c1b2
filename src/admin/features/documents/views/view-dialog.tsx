import { Alert, Button, Group, Radio, Select, Stack, TextInput } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError } from '#admin/lib/api.ts'
import { errorText, issueText } from '#admin/lib/errors.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import { FormProblem } from '#admin/ui/form-problem.tsx'
import { FormStack } from '#admin/ui/form-stack.tsx'
import type { Model } from '#shared/contract/models.ts'
import type { View, ViewSettings } from '#shared/contract/views.ts'
import { type ViewType, viewTypes } from '#shared/views.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { LayoutSettings } from './layout-settings.tsx'
import { createView, updateView } from './views.queries.ts'

interface ViewDialogProps {
  model: Model
  place: ModelPlace
  /** The view to edit. undefined: a new view. */
  view: View | undefined
  /** The initial settings of a new view. */
  settings: ViewSettings
  mayManage: boolean
  /** Called with the saved view, or without one if nothing was saved. */
  onClose: (view?: View) => void
}

/** A dialog for a view's name, layout and audience. */
export function ViewDialog({ model, place, view, settings: given, mayManage, onClose }: ViewDialogProps) {
  const t = useTranslations('views')
  const common = useTranslations('common')
  const [name, setName] = useState(view?.name ?? '')
  const [type, setType] = useState<ViewType>(view?.type ?? 'TABLE')
  const [personal, setPersonal] = useState(view?.personal ?? !mayManage)
  const [settings, setSettings] = useState(view?.settings ?? given)
  const [problem, setProblem] = useState<string | null>(null)
  const [nameProblem, setNameProblem] = useState<string | null>(null)
  const [sending, setSending] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (name.trim() === '') {
      setNameProblem(t('nameRequired'))
      return
    }
    setSending(true)
    setProblem(null)
    try {
      const data = { name: name.trim(), type, settings }
      onClose(await (view ? updateView(place, view, data) : createView(place, { ...data, personal })))
    } catch (error) {
      const issues = error instanceof ApiError ? error.issues : []
      const ofName = issues.find(({ path }) => path === 'data.name')
      if (ofName) setNameProblem(issueText(ofName))
      else setProblem(errorText(error))
      setSending(false)
    }
  }

  return (
    <Dialog onClose={() => onClose()} title={view ? t('edit') : t('new')}>
      <form onSubmit={submit} noValidate>
        <FormStack>
          <FormProblem text={problem} />
          <TextInput
            data-autofocus
            label={t('name')}
            value={name}
            maxLength={100}
            error={nameProblem}
            required
            onChange={(event) => {
              setName(event.currentTarget.value)
              setNameProblem(null)
            }}
          />
          <Select
            label={t('type')}
            description={t(`typeHints.${type}`)}
            data={viewTypes.map((value) => ({ value, label: t(`types.${value}`) }))}
            value={type}
            allowDeselect={false}
            onChange={(next) => next && setType(next as ViewType)}
          />
          {type === 'SINGLETON' && model.documentCount > 1 && (
            <Alert variant="light" icon={<IconInfoCircle size={18} />}>
              {t('singletonOfMany', { count: model.documentCount })}
              {!personal && t('singletonForAll')}
            </Alert>
          )}
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
        </FormStack>
      </form>
    </Dialog>
  )
}
