import { ActionIcon, Group, Input, TextInput } from '@mantine/core'
import { useTranslations } from 'use-intl'
import { lastCharacter, suggestedEmoji } from './emoji.ts'

/** An app's picture: one emoji, chosen or typed. Empty for none. */
export function EmojiField({ value, onChange }: { value: string; onChange: (next: string) => void }) {
  const t = useTranslations('apps')
  return (
    <Input.Wrapper label={t('icon')} description={t('iconHint')} labelElement="div">
      <Group gap={4}>
        <TextInput
          value={value}
          onChange={(event) => onChange(lastCharacter(event.currentTarget.value))}
          w={64}
          aria-label={t('icon')}
          autoComplete="off"
          styles={{ input: { textAlign: 'center', fontSize: 20 } }}
        />
        {suggestedEmoji.map((emoji) => (
          <ActionIcon
            key={emoji}
            size={36}
            variant={emoji === value ? 'light' : 'subtle'}
            color={emoji === value ? 'mizu' : 'gray'}
            aria-label={t('useIcon', { emoji })}
            aria-pressed={emoji === value}
            onClick={() => onChange(emoji === value ? '' : emoji)}
          >
            <span style={{ fontSize: 18 }}>{emoji}</span>
          </ActionIcon>
        ))}
      </Group>
    </Input.Wrapper>
  )
}
