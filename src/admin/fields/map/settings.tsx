import { Input } from '@mantine/core'
import { useId } from 'react'
import { useTranslations } from 'use-intl'
import type { FieldSettingsProps } from '../field-props.ts'
import { PlaceInputs } from './place-inputs.tsx'

/** The setting of the default coordinates. */
export function MapSettingsForm({ field, onChange, onBlur, problem, readOnly }: FieldSettingsProps<'MAP'>) {
  const t = useTranslations('models.settings')
  const id = useId()
  const error = problem('defaultValue')
  return (
    <Input.Wrapper
      label={t('defaultValue')}
      description={t('defaultValueHint')}
      error={error}
      labelElement="div"
      role="group"
      aria-label={t('defaultValue')}
    >
      <PlaceInputs
        value={field.defaultValue ?? undefined}
        onChange={(defaultValue) => onChange({ defaultValue: defaultValue ?? null })}
        onBlur={() => onBlur('defaultValue')}
        readOnly={readOnly}
        invalid={error !== null}
        id={id}
        describedBy={undefined}
      />
    </Input.Wrapper>
  )
}
