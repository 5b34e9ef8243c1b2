import { MultiSelect, Select, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { Model } from '#shared/contract/models.ts'
import type { Role } from '#shared/contract/roles.ts'
import { type Level, levelOf, levels, rightsOfLevel } from './rights-of-role.ts'
import classes from './roles.module.css'

interface ModelRightsProps {
  models: readonly Model[]
  value: Role['models']
  onChange: (models: Role['models']) => void
}

/** Inputs for the rights that a role has in single models, and for the fields that are read-only for the role. */
export function ModelRights({ models, value, onChange }: ModelRightsProps) {
  const t = useTranslations('roles.models')
  if (models.length === 0) return <Text size="sm">{t('none')}</Text>

  function change(model: Model, next: Role['models'][string]) {
    const { [model._id]: _before, ...others } = value
    const says = next.rights !== undefined || (next.readOnly?.length ?? 0) > 0
    onChange(says ? { ...others, [model._id]: next } : others)
  }

  return (
    <ul className={classes.models}>
      {models.map((model) => {
        const { rights, readOnly = [] } = value[model._id] ?? {}
        return (
          <li key={model._id} className={classes.model}>
            <Select
              label={model.name}
              aria-label={t('level', { name: model.name })}
              data={(['same', ...levels] as const).map((level) => ({
                value: level,
                label: t(`levels.${level}`),
              }))}
              value={rights ? levelOf(rights) : 'same'}
              allowDeselect={false}
              onChange={(level) =>
                change(model, {
                  ...(level && level !== 'same' ? { rights: rightsOfLevel(level as Level) } : {}),
                  readOnly,
                })
              }
            />
            <MultiSelect
              label={t('readOnly')}
              placeholder={readOnly.length === 0 ? t('readOnlyPlaceholder') : ''}
              data={model.fields.map((field) => ({ value: field._id, label: field.name }))}
              value={readOnly}
              searchable
              clearable
              onChange={(next) => change(model, { ...(rights ? { rights } : {}), readOnly: next })}
            />
          </li>
        )
      })}
    </ul>
  )
}
