#include "bench/rows/dataset.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/random.h"
#include "base/result.h"

namespace millrace::bench {

namespace {

constexpr std::uint64_t kSeed = 20240607;

std::string tag_name(std::size_t number) {
  constexpr std::string_view kTopics[] = {"news", "sport", "music", "film"};
  return fmt::format("{}-{}", kTopics[number % std::size(kTopics)], number);
}

base::Status write_text(const std::string& text, const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return base::fail(base::ErrorCode::kUnavailable, "Cannot write a data file", path);
}

}  // namespace

PipelineData make_pipeline_data(std::size_t row_count) {
  PipelineData data;
  base::SplitMix64 random(kSeed);
  for (std::size_t row = 0; row < row_count; ++row) {
    data.id.push_back(static_cast<std::int64_t>(row) * 7 + 1);
    data.a.push_back(random.unit());
    data.b.push_back(random.unit());
    data.age.push_back(random.unit());
    data.score.push_back(data.a[row] * PipelineConstants::kWeightA +
                         data.b[row] * PipelineConstants::kWeightB -
                         data.age[row] * PipelineConstants::kWeightAge);
  }
  return data;
}

TaggedData make_tagged_data(const TaggedShape& shape) {
  TaggedData data;
  base::SplitMix64 random(kSeed);
  for (std::size_t row = 0; row < shape.row_count; ++row) {
    data.id.push_back(shape.first_id + static_cast<std::int64_t>(row));
    data.author.push_back(static_cast<std::int64_t>(random.below(shape.distinct)));
    data.weight.push_back(random.unit());
    data.tag.push_back(tag_name(shape.first_tag + random.below(shape.distinct)));
  }
  return data;
}

TaggedData make_author_data(std::size_t count) {
  TaggedData data;
  for (std::size_t author = 0; author < count; ++author) {
    data.id.push_back(static_cast<std::int64_t>(author));
    data.author.push_back(static_cast<std::int64_t>(author));
    data.weight.push_back(static_cast<double>(author) / 4);
    data.tag.push_back(tag_name(author));
  }
  return data;
}

base::Status write_csv(const PipelineData& data, const std::string& path) {
  std::string text = "id,a,b,age,score\n";
  for (std::size_t row = 0; row < data.id.size(); ++row) {
    text += fmt::format(
        "{},{},{},{},{}\n", data.id[row], data.a[row], data.b[row], data.age[row], data.score[row]);
  }
  return write_text(text, path);
}

base::Status write_csv(const TaggedData& data, const std::string& path) {
  std::string text = "id,author,weight,tag\n";
  for (std::size_t row = 0; row < data.id.size(); ++row) {
    text += fmt::format(
        "{},{},{},{}\n", data.id[row], data.author[row], data.weight[row], data.tag[row]);
  }
  return write_text(text, path);
}

}  // namespace millrace::bench
