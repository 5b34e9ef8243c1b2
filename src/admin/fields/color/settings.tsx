import { Input, Textarea } from '@mantine/core'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { readColor } from '#shared/fields/color-code.ts'
import type { FieldSettingsProps } from '../field-props.ts'
import { SwitchSetting } from '../settings-inputs.tsx'
import { ColorBox } from './color-box.tsx'

/** Settings: whether transparency is allowed, the palette, the default. */
export function ColorSettingsForm(props: FieldSettingsProps<'COLOR'>) {
  const { field, onChange, onBlur, problem, readOnly } = props
  const t = useTranslations('fields.color')
  const settings = useTranslations('models.settings')
  const id = useId()
  return (
    <>
      <SwitchSetting
        label={t('alpha')}
        description={t('alphaHint')}
        checked={field.alpha}
        onChange={(alpha) => onChange({ alpha })}
        readOnly={readOnly}
      />
      <PaletteSetting {...props} />
      <Input.Wrapper
        label={settings('defaultValue')}
        description={settings('defaultValueHint')}
        error={problem('defaultValue')}
        id={id}
      >
        <ColorBox
          id={id}
          value={field.defaultValue ?? ''}
          onChange={(defaultValue) => onChange({ defaultValue: defaultValue || null })}
          onBlur={() => onBlur('defaultValue')}
          alpha={field.alpha}
          swatches={field.palette}
          readOnly={readOnly}
        />
      </Input.Wrapper>
    </>
  )
}

/** Invalid lines stay in the text area and are reported. */
function PaletteSetting({ field, onChange, onBlur, problem, readOnly }: FieldSettingsProps<'COLOR'>) {
  const t = useTranslations('fields.color')
  const [typed, setTyped] = useState(field.palette.join('\n'))
  const shown = sameColors(colorsOf(typed), field.palette) ? typed : field.palette.join('\n')
  const paths = field.palette.map((_, index) => `palette.${index}`)
  return (
    <Textarea
      label={t('palette')}
      description={t('paletteHint')}
      placeholder="#ff8800"
      autosize
      minRows={2}
      maxRows={8}
      spellCheck={false}
      readOnly={readOnly}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      value={shown}
      error={['palette', ...paths].map(problem).find((text) => text !== null)}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        onChange({ palette: colorsOf(event.currentTarget.value) })
      }}
      onBlur={() => {
        setTyped(field.palette.join('\n'))
        for (const path of ['palette', ...paths]) onBlur(path)
      }}
    />
  )
}

function colorsOf(text: string): string[] {
  const lines = text.split(/[\s,、]+/).filter((line) => line !== '')
  return lines.map((line) => readColor(line) ?? line)
}

const sameColors = (one: readonly string[], other: readonly string[]) => one.join() === other.join()
