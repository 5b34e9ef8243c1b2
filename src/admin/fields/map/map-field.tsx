import { Stack, Text } from '@mantine/core'
import { useTranslations } from 'use-intl'
import type { FieldInputProps } from '../field-props.ts'
import { asPlace, PlaceInputs } from './place-inputs.tsx'
import { PlaceMap } from './place-map.tsx'

/** The input of a map field: coordinates and a map. */
export function MapField(props: FieldInputProps<'MAP'>) {
  const { field, value, onChange, onBlur, readOnly, id, labelId, describedBy } = props
  const t = useTranslations('fields.map')
  return (
    <Stack gap="xs" role="group" aria-labelledby={labelId} aria-describedby={describedBy}>
      <PlaceInputs
        value={value}
        onChange={onChange}
        onBlur={onBlur}
        readOnly={readOnly}
        invalid={props.issues.length > 0}
        id={id}
        describedBy={describedBy}
        required={field.required}
      />
      {!readOnly && (
        <Text size="xs" c="dimmed">
          {t('hint')}
        </Text>
      )}
      <PlaceMap
        place={asPlace(value)}
        label={t('mapOf', { name: field.name })}
        {...(readOnly
          ? {}
          : {
              onChoose: (place) => {
                onChange(place)
                onBlur()
              },
            })}
      />
    </Stack>
  )
}
