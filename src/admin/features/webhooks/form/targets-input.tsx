import { Checkbox, Input, MultiSelect, Radio, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { appsQuery, modelsQuery } from '#admin/lib/queries.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import { hiddenLabel } from '#admin/ui/hidden-label.ts'
import classes from '../webhooks.module.css'
import type { WebhookFormState } from './form-state.ts'
import type { Target, Values } from './values.ts'

/** The apps of a webhook, each with all of its models or selected ones. */
export function TargetsInput({ p, form: { values, set, errorOf } }: { p: string; form: WebhookFormState }) {
  const t = useTranslations('webhooks.form.targets')
  const { scope, targets } = values
  const { data: apps } = useQuery(appsQuery(p))
  // A webhook must not send more than its creator may read. An app that it already has can stay.
  const mayAll = useCanInSpace(p)('document.read')
  const choosable = apps?.filter(
    ({ uid, joined }) => mayAll || joined || targets.some((target) => target.app === uid),
  )
  const change = (app: string, target: Target | null) => {
    const others = targets.filter((one) => one.app !== app)
    set('targets', target ? [...others, target] : others)
  }
  const error = errorOf('targets')
  const hasNone = !mayAll && choosable?.length === 0
  return (
    <Stack gap="md">
      <Radio.Group
        {...hiddenLabel(t('title'))}
        {...(mayAll ? {} : { description: t(hasNone ? 'ownOnlyNone' : 'ownOnly') })}
        value={scope}
        onChange={(next) => set('scope', next as Values['scope'])}
      >
        <Stack gap={8} mt={4}>
          <Radio value="all" label={t('all')} disabled={!mayAll && scope !== 'all'} />
          <Radio value="chosen" label={t('chosen')} disabled={hasNone} />
        </Stack>
      </Radio.Group>
      {scope === 'chosen' && choosable && choosable.length > 0 && (
        <ul className={classes.targets} aria-label={t('title')}>
          {choosable.map(({ uid, name }) => {
            const target = targets.find((one) => one.app === uid)
            return (
              <li key={uid}>
                <Checkbox
                  name="targets"
                  label={name}
                  checked={target !== undefined}
                  onChange={({ currentTarget: { checked } }) =>
                    change(uid, checked ? { app: uid, models: null } : null)
                  }
                />
                {target && (
                  <ModelSelect p={p} app={name} target={target} onChange={(next) => change(uid, next)} />
                )}
              </li>
            )
          })}
        </ul>
      )}
      {error && <Input.Error role="alert">{error}</Input.Error>}
    </Stack>
  )
}

interface ModelSelectProps {
  p: string
  /** The name of the app. */
  app: string
  target: Target
  onChange: (target: Target) => void
}

/** Selects the models of one app. No selection: all models. */
function ModelSelect({ p, app, target, onChange }: ModelSelectProps) {
  const t = useTranslations('webhooks.form.targets')
  const { data: models = [] } = useQuery(modelsQuery(p, target.app))
  return (
    <MultiSelect
      ml={32}
      mt={6}
      aria-label={t('modelsOf', { app })}
      placeholder={target.models === null ? t('allModels') : ''}
      data={models.map(({ uid, name }) => ({ value: uid, label: name }))}
      value={target.models ?? []}
      onChange={(chosen) => onChange({ ...target, models: chosen.length > 0 ? chosen : null })}
      clearable
      clearButtonProps={{ 'aria-label': t('allModels') }}
      searchable
    />
  )
}
